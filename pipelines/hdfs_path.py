"""A place below hdfs://HOST:PORT. The library's own leaves the host out of its address."""

from upath.implementations.hdfs import HDFSPath
from upath.registry import register_implementation


class HdfsPath(HDFSPath):
    """Its text is the whole address, as every other library needs it."""

    __slots__ = ()

    def __str__(self) -> str:
        host, port = (self.storage_options.get(name) for name in ("host", "port"))
        return f"hdfs://{host or ''}{f':{port}' if port else ''}{self.path}"


register_implementation("hdfs", HdfsPath, clobber=True)
