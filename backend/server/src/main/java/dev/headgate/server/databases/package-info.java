/**
 * The databases that Headgate connects to. Their passwords are write-only.
 */
@NullMarked
package dev.headgate.server.databases;

import org.jspecify.annotations.NullMarked;
