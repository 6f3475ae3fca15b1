/**
 * The PostgreSQL wire port: any driver reaches its domain's pool by it, without knowing of Headgate.
 *
 * <p>Nothing is here yet. What is built here will know the engine and the PostgreSQL protocol, and neither Spring nor HTTP.
 */
@NullMarked
package dev.headgate.wire;

import org.jspecify.annotations.NullMarked;
