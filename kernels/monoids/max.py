"""max: the greatest value, with the column's type. Null over no values."""

from windrow.kernels.monoids.min import monoids
from windrow.kernels.runtime.fields import SMALLEST

MONOIDS = monoids(max, SMALLEST)
