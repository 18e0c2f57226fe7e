"""A table's folder is copied below a URI too. What servers do with it is in tests/cluster."""

from upath import UPath

from pipelines import storage


def test_a_copy_below_a_uri_has_all_files_and_leaves_the_table(tmp_path):
    lake = UPath(f"memory://{tmp_path}")
    files = {"_delta_log/0.json": b"{}", "day=1/part-0.parquet": b"rows"}
    for name, content in files.items():
        file = lake / "table" / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    storage.copy_table(lake / "table", lake / "trial" / "table")
    for folder in (lake / "table", lake / "trial" / "table"):
        assert {name: (folder / name).read_bytes() for name in files} == files
