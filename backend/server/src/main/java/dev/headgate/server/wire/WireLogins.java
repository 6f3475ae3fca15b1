package dev.headgate.server.wire;

import dev.headgate.server.access.Access;
import dev.headgate.wire.LoginListener;
import java.net.InetAddress;
import org.springframework.stereotype.Component;

/** Has failed logins at the wire port counted and audited, and their addresses slowed down, together with those over HTTP. */
@Component
final class WireLogins implements LoginListener {

    private final Access access;

    WireLogins(Access access) {
        this.access = access;
    }

    @Override
    public void failed(InetAddress address, String database, String user) {
        access.wrongPasswordAtWire(address.getHostAddress(), database, user);
    }

    @Override
    public boolean isSlowed(InetAddress address) {
        return access.isSlowed(address.getHostAddress());
    }
}
