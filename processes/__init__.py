"""Processes, by the standard library alone: used by dags/, stack/ and pipelines/ (Linux).

signals.py       what SIGINT, SIGTERM and SIGHUP do
children.py      end all that a command started, or all processes of a session
marked.py        find and end processes by a mark in their environment
orphan_jvms.py   end JVMs whose Python is gone
proc.py          what /proc says of a process
"""

if __name__ == "processes":
    from windrow.former_names import take_over

    take_over(__name__)
