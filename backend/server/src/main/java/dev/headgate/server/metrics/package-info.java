/**
 * Health and Prometheus metrics. Labels are the names of domains and databases and nothing that grows with traffic: what
 * one connection does is on the stream.
 */
@NullMarked
package dev.headgate.server.metrics;

import org.jspecify.annotations.NullMarked;
