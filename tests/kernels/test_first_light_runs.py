"""The benchmark's code runs, so that it can't rot; how fast it is, no test says."""

from pathlib import Path

from benchmarks import first_light_kernel


def test_the_benchmark_makes_its_rows_without_the_real_files(tmp_path: Path):
    lines = first_light_kernel.main(["--events", "3000", "--keys", "2", "--runs", "1", "--data", str(tmp_path)])
    assert len(lines) == 5
    assert "log-normal" in lines[0]
    assert all("rows" in line and " 0 rows" not in line for line in lines[1:])
