/**
 * Who holds the connections of a domain, who waits for them, who was turned away, and the life of each connection. An operator can
 * cancel or end what he sees, which is audited. Statements are shown without their values.
 */
@NullMarked
package dev.headgate.server.leases;

import org.jspecify.annotations.NullMarked;
