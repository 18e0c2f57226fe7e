"""Small symmetric systems in scratch memory: row i, column j of a matrix of n rows is at i * n + j."""

from math import sqrt

from windrow.kernels.runtime.memory import inner

LEAST_PIVOT = 1e-13
"""A pivot below so much of its diagonal element is one of a singular matrix, but for rounding."""


@inner
def factor(matrix, n, damping, lower):
    """Cholesky: lower · lowerᵀ = matrix + damping · its diagonal. False where the matrix is singular. O(n³)."""
    for i in range(n):
        for j in range(i + 1):
            total = matrix[i * n + j] * (1.0 + damping if i == j else 1.0)
            for k in range(j):
                total -= lower[i * n + k] * lower[j * n + k]
            if i != j:
                lower[i * n + j] = total / lower[j * n + j]
            elif total > LEAST_PIVOT * matrix[i * n + i]:
                lower[i * n + i] = sqrt(total)
            else:
                return False
    return True


@inner
def solve(lower, n, right, solution):
    """solution of lower · lowerᵀ · solution = right. O(n²)."""
    for i in range(n):
        total = right[i]
        for k in range(i):
            total -= lower[i * n + k] * solution[k]
        solution[i] = total / lower[i * n + i]
    for i in range(n - 1, -1, -1):
        total = solution[i]
        for k in range(i + 1, n):
            total -= lower[k * n + i] * solution[k]
        solution[i] = total / lower[i * n + i]


@inner
def invert(lower, n, unit, inverse):
    """The inverse of lower · lowerᵀ; `unit` is room for n floats. O(n³)."""
    for column in range(n):
        for i in range(n):
            unit[i] = 1.0 if i == column else 0.0
        solve(lower, n, unit, inverse[column * n :])
