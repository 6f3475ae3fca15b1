/**
 * Policy files: databases, domains and their policy sets as YAML, usually stored in git. They are compared with
 * the current state and applied as a whole, through the services that REST uses. Everything is checked before anything is
 * changed. Objects that files have applied belong to the files.
 */
@NullMarked
package dev.headgate.server.files;

import org.jspecify.annotations.NullMarked;
