"""The Spark engine: tasks on the executors read and write the files; SQL and shuffles are Spark's."""
