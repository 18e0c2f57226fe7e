"""First light: `make bench-first-light`. Events/s and rows/s of the kernel alone (first_light_kernel.py), then silver
to Delta against Spark's own `window()` (first_light_end_to_end.py).
"""

from benchmarks import first_light_end_to_end, first_light_kernel

if __name__ == "__main__":
    first_light_kernel.main()
    first_light_end_to_end.run()
