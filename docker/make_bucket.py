"""Makes the bucket of WINDROW_HOME where there is none, and waits a minute for the server."""

import os
import sys
import time
from urllib.parse import urlsplit

import s3fs

PATIENCE_S, LOOK_EVERY_S = 60, 2


def make(bucket: str) -> None:
    """OSError where the server refuses."""
    server = s3fs.S3FileSystem(endpoint_url=os.environ["AWS_ENDPOINT_URL"])
    if not server.exists(bucket):
        server.mkdir(bucket)


def main() -> None:
    """The last try's error is shown."""
    bucket, deadline = urlsplit(os.environ["WINDROW_HOME"]).netloc, time.monotonic() + PATIENCE_S
    while True:
        try:
            make(bucket)
            sys.exit(0)
        except OSError as error:
            if time.monotonic() > deadline:
                sys.exit(f"the bucket {bucket!r} was not made: {error}")
            time.sleep(LOOK_EVERY_S)


if __name__ == "__main__":
    main()
