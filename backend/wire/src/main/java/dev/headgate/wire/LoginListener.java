package dev.headgate.wire;

import java.net.InetAddress;

/** Is told of failed logins at the wire port, and says whose logins are slowed down. Called on the loops' threads: must not block. */
public interface LoginListener {

    /** Hears nothing and slows nobody down. */
    LoginListener NONE = new LoginListener() {
        @Override
        public void failed(InetAddress address, String database, String user) {}

        @Override
        public boolean isSlowed(InetAddress address) {
            return false;
        }
    };

    /**
     * A client could not prove its password, or that its connection is not another's. Called before it is told so.
     *
     * @param database the name of a domain, or of the console
     * @param user as the client gave it: any text, and maybe nobody's name
     */
    void failed(InetAddress address, String database, String user);

    /** Whether logins of the address are served late, with a right password as with a wrong one. */
    boolean isSlowed(InetAddress address);
}
