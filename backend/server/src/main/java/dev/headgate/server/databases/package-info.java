/**
 * The databases that Headgate connects to. The password of each goes in and never comes out.
 */
@NullMarked
package dev.headgate.server.databases;

import org.jspecify.annotations.NullMarked;
