/**
 * Health and Prometheus metrics. Labels are names of domains and databases, and nothing that grows with traffic. Data of single
 * connections is on the stream.
 */
@NullMarked
package dev.headgate.server.metrics;

import org.jspecify.annotations.NullMarked;
