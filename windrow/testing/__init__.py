"""What the tests of definitions take: lines of a stream, contents of a window, and a lake of a test's own."""
