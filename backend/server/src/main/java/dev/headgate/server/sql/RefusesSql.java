package dev.headgate.server.sql;

import dev.headgate.server.problems.ProblemType;
import dev.headgate.server.problems.Refuses;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** The problems of an operation that executes statements. */
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@Refuses({
    ProblemType.SQL_WRONG,
    ProblemType.SQL_FORBIDDEN,
    ProblemType.SQL_MISSING,
    ProblemType.SQL_READ_ONLY,
    ProblemType.SQL_CONFLICT,
    ProblemType.SQL_TOO_LARGE,
    ProblemType.SQL_BROKEN,
    ProblemType.SQL_UNAVAILABLE,
    ProblemType.SQL_TIMED_OUT,
    ProblemType.EXHAUSTED
})
@interface RefusesSql {}
