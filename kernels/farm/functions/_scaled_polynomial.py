"""From a polynomial of scaled times to one of seconds: coefficients, and their covariance, by one matrix.

u = (x − middle) / half        b0 + b1·u + b2·u²  ─▶  c0 + c1·x + c2·x²
c = back · b        covariance of c = back · covariance of b · backᵀ
"""

from kernels.runtime.memory import inner

US_A_SECOND = 1e6


@inner
def fill_back(fit):
    """back: coefficients of u = (x − middle) / half into those of x, row k: C(j, k) (−middle)^(j − k) / half^j."""
    n, middle_s = fit.n, fit.middle_us / US_A_SECOND
    half_s = fit.half_us / US_A_SECOND if fit.half_us > 0.0 else 1.0
    for k in range(n):
        term = 1.0 / half_s**k
        for j in range(n):
            fit.back[k * n + j] = 0.0
        for j in range(k, n):
            fit.back[k * n + j] = term
            term *= (j + 1) / (j + 1 - k) * -middle_s / half_s


@inner
def sum_of_row(fit, k):
    """One coefficient of x."""
    total = 0.0
    for j in range(k, fit.n):
        total += fit.back[k * fit.n + j] * fit.coefficients[j]
    return total


@inner
def covariance(fit, i, j):
    """back · inverse · backᵀ, one element."""
    n, total = fit.n, 0.0
    for a in range(i, n):
        for b in range(j, n):
            total += fit.back[i * n + a] * fit.inverse[a * n + b] * fit.back[j * n + b]
    return total
