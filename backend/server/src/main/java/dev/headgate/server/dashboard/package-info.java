/**
 * Serves the built dashboard: its files unchanged, and its start page for every path that only the dashboard knows.
 */
@NullMarked
package dev.headgate.server.dashboard;

import org.jspecify.annotations.NullMarked;
