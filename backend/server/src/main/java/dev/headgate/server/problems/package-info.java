/**
 * How the service says no: every error is an RFC 9457 problem of a stable type, with the fields at fault named by JSON
 * pointers. Features throw {@link dev.headgate.server.problems.ProblemException}; nothing else leaves the service.
 */
@NullMarked
package dev.headgate.server.problems;

import org.jspecify.annotations.NullMarked;
