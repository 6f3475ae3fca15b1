/**
 * The audit log: who changed what and when, with the values before and after. An entry is written in the transaction of its
 * change.
 */
@NullMarked
package dev.headgate.server.audit;

import org.jspecify.annotations.NullMarked;
