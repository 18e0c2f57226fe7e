"""The replay of arrival-ordered columns of many keys; `kernels/entry.py` runs one."""
