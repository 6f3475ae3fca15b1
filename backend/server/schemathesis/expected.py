"""Tells schemathesis what Headgate answers on purpose although the OpenAPI document allows the request, each with its reason.

A failed check is dropped only if every fault that the answer names is expected of its operation. Anything else is a finding.
"""

import atexit
import collections
import json
import os
import pathlib
import re
import typing

import schemathesis
from schemathesis.core.failures import AcceptedNegativeData, Failure, ServerError
from schemathesis.openapi.checks import IgnoredAuth, JsonSchemaError, RejectedPositiveData


class Expected(typing.NamedTuple):
    failure: type[Failure]
    problem: str  # the last segment of the problem's type; "violations" for the answer of a plan, "" for schemathesis' own message
    says: str  # matches "POINTER MESSAGE" of each of the problem's errors, or its detail where it has no errors
    operations: str  # matches the operation's id
    because: str


SQL = r"Sql"
ANY = r""

EXPECTED = [
    # What an answer depends on besides the request.
    Expected(IgnoredAuth, "", r"^Expected 401 or 403, got `429 Too Many Requests` for ", ANY,
             "ten failed logins within a minute slow an address down"),
    Expected(RejectedPositiveData, "stale-revision", r"^This is based on (revision \d+, but revision \d+ is in force|the (domain|database) ')",
             r"^(put|restore)(Domain|Database)Policies$|^change(Domain|Database)$",
             "a change that is based on another revision is refused"),
    Expected(AcceptedNegativeData, "stale-revision", r"^This is based on (revision \d+, but revision \d+ is in force|the (domain|database) ')",
             r"^(put|restore)(Domain|Database)Policies$|^change(Domain|Database)$",
             "a change that is based on another revision is refused before its body is looked at"),
    Expected(RejectedPositiveData, "database-unreachable", r" cannot be reached: ", r"^(create|change)Database$",
             "a database is kept only if it can be reached"),
    Expected(RejectedPositiveData, "sql-failed", r"", SQL,
             "a statement fails that PostgreSQL does not understand"),
    Expected(ServerError, "unavailable", r": no lease, closed after ", SQL,
             "a drained domain gives no connection"),
    Expected(RejectedPositiveData, "invalid-request", r"^ differs from the request that this Idempotency-Key was first sent with$", SQL,
             "an Idempotency-Key stands for one request"),
    Expected(ServerError, "exhausted", r": no lease, timed out after ", SQL,
             "a request that gets no connection in time is told when to ask again"),
    Expected(ServerError, "sql-failed", r"^the deadline of \d+ ms has passed$", SQL,
             "a request for SQL has the deadline that it asks for"),

    # What names something that must exist.
    Expected(RejectedPositiveData, "malformed-request", r" the query parameter 'cursor' is not one of this list$", r"^list",
             "a cursor is the nextCursor of an earlier page"),
    Expected(RejectedPositiveData, "invalid-policy-set", r"(?s)/plugin '.*' is not installed$",
             r"PolicySet|Policies$|ShadowSet$|^replay",
             "a policy's plugin must be installed"),
    Expected(RejectedPositiveData, "invalid-request", r"^/database there is no database '", r"^createDomain$",
             "a domain's database must exist"),
    Expected(RejectedPositiveData, "invalid-request", r"^/(domain|database) must be a (domain|database), was '", r"^createAnnotation$",
             "an annotation's domain or database must exist"),
    Expected(RejectedPositiveData, "invalid-request", r"^/branches/\d+/domain is not a domain$", r"^scatterSql$",
             "a branch's domain must exist"),
    Expected(RejectedPositiveData, "invalid-request", r"^(/(statements|branches)/\d+)?/types/\d+ is not a type of PostgreSQL: '", SQL,
             "a parameter's type is one of PostgreSQL's"),
    Expected(RejectedPositiveData, "invalid-request", r"^/domain there is no domain '", r"^putWorkload$",
             "a load's domain must exist"),
    Expected(RejectedPositiveData, "invalid-request", r"(?s)^/domains/\d+ '.*' does not use ", r"PolicyPlugin",
             "only a domain that uses the plugin adopts its version"),
    Expected(RejectedPositiveData, "invalid-request", r"^/values/.* is no parameter of ", r"^runExperiment$",
             "each experiment has parameters of its own"),

    # What no JSON schema says.
    Expected(RejectedPositiveData, "malformed-request", r" cannot be '-?\d+\.\d+(E\d+)?'$", ANY,
             "a whole number is written without a decimal point, which is the same number to JSON Schema"),
    Expected(RejectedPositiveData, "malformed-request", r"(?s) must have at most \d+ characters, was .*[\U00010000-\U0010ffff]", ANY,
             "the length of a text is told in UTF-16 units, of which a character may have two"),
    Expected(RejectedPositiveData, "invalid-request",
             r"^(/sql|/(statements|branches)/\d+) cannot be sent: PostgreSQL's texts have no zero character$", SQL,
             "PostgreSQL keeps no text with a NUL character"),
    Expected(RejectedPositiveData, "invalid-request", r"^/orderBy is not a column of branch ", r"^scatterSql$",
             "answers are sorted by a column that they have"),
    Expected(RejectedPositiveData, "malformed-request", r"holds a NUL character", ANY,
             "PostgreSQL keeps no text with a NUL character"),
    Expected(RejectedPositiveData, "malformed-request",
             r"^('(from|to|at)'|/time) cannot be '(0|1[0-8]|19[0-6]|.*[+-](1[89]|2\d):)", ANY,
             "a time is of the years 1970 to 9999, with an offset of at most 18 hours"),
    Expected(RejectedPositiveData, "malformed-request",
             r"^'from' is missing|^'minutes' stands alone|^'from' must be before 'to'", r"istory$",
             "a range is told by 'from', 'to' and 'step', or by 'minutes' alone"),
    Expected(RejectedPositiveData, "malformed-request", r"^Give 'domain' or 'database', not both", r"^exportFiles$",
             "an export is of one domain or of one database"),
    Expected(RejectedPositiveData, "malformed-request", r"^'guard' (names|has|does not say)", r"^put(Domain|Database)Policies$",
             "a guard says 'within' and a bound, each once and within its range"),
    Expected(RejectedPositiveData, "malformed-request", r"^If-Match cannot be '\d+'; allowed is the ETag of the (domain|database) '",
             r"^change(Domain|Database)$",
             "schemathesis takes a revision from an answer, and leaves out the quotes that the document asks for"),
    Expected(RejectedPositiveData, "invalid-request",
             r"^/(ratePerSecond|users|thinkMs|varies|phases)(/\d+)?(/\w+)? "
             r"(stands |is for |is missing$|has no |cannot be set: |must take at most )",
             r"^putWorkload$",
             "a load has a rate, users or phases, and what belongs to them"),
    Expected(RejectedPositiveData, "invalid-request", r"(?s)^/(variables|transactions/\d+/parameters)\[.*\] must be a name", r"^putWorkload$",
             "a variable of a load has a name"),
    Expected(RejectedPositiveData, "invalid-request",
             r"^/transactions( has no |/\d+ needs either |/\d+/(parameters|thinkMs) stands? beside |/\d+/(script|statements/\d+|parameters) )",
             r"^putWorkload$",
             "a transaction is statements with their parameters, or a script that pgbench understands"),
    Expected(RejectedPositiveData, "malformed-request", r"^The answer has \d+ bytes so far, and the offset is ", r"^readSqlResult$",
             "an offset lies within the answer"),
    Expected(RejectedPositiveData, "invalid-request", r"^/time must be within the time that annotations are kept", r"^createAnnotation$",
             "an annotation's time is within those that are kept"),
    Expected(RejectedPositiveData, "invalid-request", r"^/password is needed again: ", r"^changeDatabase$",
             "a stored password is not sent to another server"),
    Expected(RejectedPositiveData, "invalid-request", r"^/(sql|params|types) cannot be there with statements$|^/sql is missing$", SQL,
             "a request has one statement with parameters, or several statements with their own"),
    Expected(RejectedPositiveData, "invalid-request",
             r"^/(readOnly|timeoutMs|transaction) cannot be there: the transaction was begun without it$", r"^executeInSqlTransaction$",
             "some of a transaction is told when it begins"),
    Expected(RejectedPositiveData, "malformed-request", r"^The query or a header cannot be read; .* no control characters\.$", ANY,
             "schemathesis writes a tab into a header"),
    Expected(RejectedPositiveData, "malformed-request", r"^'step' must be a whole number of s, m or h, from 1s to 24h", r"istory$",
             "a step is at most 24 hours, in any unit"),
    Expected(RejectedPositiveData, "invalid-request", r"^/most must be 1 to \d+, because ", r"^findSize$",
             "a pool has no more connections than its database has left"),
    Expected(RejectedPositiveData, "invalid-request", r"^/domain cannot be given together with a database$", r"^createAnnotation$",
             "an annotation is of a domain or of a database"),
    Expected(RejectedPositiveData, "invalid-files", r"", r"^(diff|apply)Files$",
             "a policy file is told as text"),
    Expected(RejectedPositiveData, "plugin-refused", r" is not a (jar\.$|policy plugin: )", r"^uploadPolicyPlugin$",
             "a plugin is a jar"),

    # What is answered instead of refused.
    Expected(JsonSchemaError, "", r" is not of type \"string\"", r"^exportFiles$",
             "a policy file is told as text, and read as YAML by schemathesis"),
    Expected(AcceptedNegativeData, "violations", r"", r"^plan(Domain|Database)Policies$",
             "a plan answers 200 and lists what is wrong with the set"),
]

# Failures that were dropped, by reason.
dropped = collections.Counter()


@atexit.register
def keep_dropped():
    pathlib.Path(os.environ.get("HEADGATE_DROPPED", os.devnull)).write_text(json.dumps(dropped))


@schemathesis.hook
def before_load_schema(context, raw_schema):
    """`default` stands for a proxy on the way. Headgate itself answers only with the statuses that it lists."""
    for operations in raw_schema["paths"].values():
        for operation in operations.values():
            operation["responses"].pop("default", None)


@schemathesis.hook
def filter_case(context, case):
    """The domain of world.py stays, for the operations that come later."""
    return not (operation_of(case) == "deleteDomain" and case.path_parameters.get("domain") == "bank")


@schemathesis.hook
def filter_failure(context, failure, case, response):
    reasons = {reason_of(failure, problem, fault, operation_of(case)) for problem, fault in faults_of(failure, response)}
    if None in reasons:
        return True
    dropped.update(reasons)
    return False


@schemathesis.serializer("application/yaml")
def write_yaml(ctx, value):
    """The document tells a policy file as text."""
    return value if isinstance(value, (str, bytes)) else json.dumps(value)


def operation_of(case):
    return case.operation.definition.raw["operationId"]


def faults_of(failure, response):
    """Each fault that an answer names, as the last segment of its problem's type and a text."""
    if isinstance(failure, (IgnoredAuth, JsonSchemaError)):
        return [("", failure.message)]  # of IgnoredAuth, `response` is the answer to the request that was allowed
    try:
        answer = json.loads(response.content)
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        return [("", "")]
    problem = answer.get("type", "").rpartition("/")[2]
    if answer.get("violations"):
        problem = "violations"
    errors = answer.get("errors") or answer.get("violations")
    if errors:
        return [(problem, f"{error['pointer']} {error['message']}") for error in errors]
    return [(problem, answer.get("detail", ""))]


def reason_of(failure, problem, fault, operation):
    for expected in EXPECTED:
        if (
            isinstance(failure, expected.failure)
            and problem == expected.problem
            and re.search(expected.says, fault)
            and re.search(expected.operations, operation)
        ):
            return expected.because
    return None
