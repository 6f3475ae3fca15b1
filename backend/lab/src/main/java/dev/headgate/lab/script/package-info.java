/**
 * Users' own loads: scripts of statements, with parameters that are computed and drawn at random for each arrival. {@link
 * dev.headgate.lab.script.Script} reads a list of statements or a script of {@code pgbench}. Parameters are bound, never pasted into
 * a statement's text. What is not supported is refused when the script is read, with its line.
 */
@NullMarked
package dev.headgate.lab.script;

import org.jspecify.annotations.NullMarked;
