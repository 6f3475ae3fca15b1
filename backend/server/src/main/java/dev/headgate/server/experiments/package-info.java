/**
 * The demo and its loads: what {@code ./headgate up} shows. Sets the demo's database and domains up once, through the same
 * public services that operators use, and keeps what operators change of the loads.
 */
@NullMarked
package dev.headgate.server.experiments;

import org.jspecify.annotations.NullMarked;
