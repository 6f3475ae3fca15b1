/**
 * Errors of the API. Every error is an RFC 9457 problem with a stable type, and names faulty fields by JSON pointers. Features
 * throw {@link dev.headgate.server.problems.ProblemException}; no other form of error leaves the service.
 */
@NullMarked
package dev.headgate.server.problems;

import org.jspecify.annotations.NullMarked;
