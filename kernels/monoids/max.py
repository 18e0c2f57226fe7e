"""max: the greatest value, with the column's type. Null over no values."""

from kernels.monoids.min import monoids
from kernels.runtime.fields import SMALLEST

MONOIDS = monoids(max, SMALLEST)
