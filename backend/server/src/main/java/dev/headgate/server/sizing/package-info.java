/** Find my size: tries sizes of a pool on its live load, and answers with a policy set. */
@NullMarked
package dev.headgate.server.sizing;

import org.jspecify.annotations.NullMarked;
