/**
 * Policy files: databases, domains and their policy sets as YAML that is kept elsewhere, in git as a rule. They are compared
 * with what is in force and put in force as a whole, through the services that REST uses; everything is checked before
 * anything is changed. What files have put in force belongs to them.
 */
@NullMarked
package dev.headgate.server.files;

import org.jspecify.annotations.NullMarked;
