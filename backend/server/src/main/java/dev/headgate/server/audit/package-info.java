/**
 * Who changed what, when, from what to what. An entry is written in the transaction of the change it tells of.
 */
@NullMarked
package dev.headgate.server.audit;

import org.jspecify.annotations.NullMarked;
