"""A store of Great Expectations in files that are there as a whole or not at all, whatever is killed meanwhile."""

import os

from great_expectations.data_context.store.tuple_store_backend import TupleFilesystemStoreBackend


class WholeFiles(TupleFilesystemStoreBackend):
    """The library's store, whose files get their names when they are written."""

    def _set(self, key: tuple[str, ...], value: str | bytes, **options: object) -> str:  # type: ignore[override]
        path = os.path.join(self.full_base_directory, self._convert_key_to_filepath(key))
        unfinished = f"{path}.{os.getpid()}.unfinished"
        os.makedirs(os.path.dirname(path), exist_ok=True)
        try:
            with open(unfinished, "wb") as file:
                file.write(value.encode() if isinstance(value, str) else value)
            os.rename(unfinished, path)
        except BaseException:
            if os.path.exists(unfinished):
                os.remove(unfinished)
            raise
        return path
