"""The executor of jobs that map their work over steps: in one process, or in several when the run asks for it."""

from dagster import Executor, Field, InitExecutorContext, Selector, executor, multi_or_in_process_executor
from dagster._core.definitions.executor_definition import (
    IN_PROC_CONFIG,
    MULTI_PROC_CONFIG,
    multiple_process_executor_requirements,
)


@executor(
    name="in_process_or_multiprocess",
    config_schema=Field(
        Selector({"in_process": IN_PROC_CONFIG, "multiprocess": MULTI_PROC_CONFIG}),  # type: ignore[no-untyped-call]
        default_value={"in_process": {}},
    ),
    requirements=lambda config: multiple_process_executor_requirements() if "multiprocess" in config else [],
)
def in_process_or_multiprocess(context: InitExecutorContext) -> Executor:
    """Return Dagster's own executor of the kind that is asked for.

    Dagster's default is the same selector with `multiprocess` when nothing is said, which costs minutes for small work.
    """
    create = multi_or_in_process_executor.executor_creation_fn
    if create is None:
        raise TypeError("Dagster's default executor creates none")
    return create(context)
