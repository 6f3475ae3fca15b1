/** A run's report for people and programs: Markdown, CSV and SVG, and two runs compared. */
@NullMarked
package dev.headgate.lab.report;

import org.jspecify.annotations.NullMarked;
