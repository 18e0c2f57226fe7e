"""Where pages lie: in files that are there as a whole or not at all, since a page that is there isn't made again."""

from pathlib import Path

from great_expectations.data_context.store.tuple_store_backend import TupleFilesystemStoreBackend

from pipelines.gate.validation_results import write_whole


class WholeFiles(TupleFilesystemStoreBackend):
    """The library's store, whose files get their names when they are written."""

    def _set(self, key: tuple[str, ...], value: str | bytes, **options: object) -> str:  # type: ignore[override]
        path = Path(self.full_base_directory, self._convert_key_to_filepath(key))
        write_whole(path, value.encode() if isinstance(value, str) else value)
        return str(path)
