"""First light: `make bench-first-light`. Prints events/s and rows/s of the kernel alone (first_light_kernel.py)."""

from benchmarks import first_light_kernel

if __name__ == "__main__":
    first_light_kernel.main()
