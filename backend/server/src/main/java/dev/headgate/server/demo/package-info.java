/**
 * The demo of {@code ./headgate up} and its loads. Creates the demo's database and domains once, through the same public
 * services that operators use, and stores operators' changes of the loads. Also runs the loads that users send.
 */
@NullMarked
package dev.headgate.server.demo;

import org.jspecify.annotations.NullMarked;
