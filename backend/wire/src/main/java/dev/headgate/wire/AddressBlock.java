package dev.headgate.wire;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Arrays;

/**
 * The addresses that count as one for limits: an IPv4 address alone, an IPv6 address with all others of its /64. That is the smallest
 * network that a provider gives, so whoever has one address of it has all 2^64.
 */
public final class AddressBlock {

    private static final int PREFIX_BYTES = 8;
    private static final int BYTES = 16;

    private AddressBlock() {}

    /** The first address of the block. */
    public static InetAddress of(InetAddress address) {
        if (!(address instanceof Inet6Address)) {
            return address;
        }
        try {
            return InetAddress.getByAddress(Arrays.copyOf(Arrays.copyOf(address.getAddress(), PREFIX_BYTES), BYTES));
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e); // only of another length
        }
    }

    /** The same of an address as text; a text that is none stands for itself. */
    public static String of(String address) {
        if (address.indexOf(':') < 0) {
            return address;
        }
        try {
            return of(InetAddress.ofLiteral(address)).getHostAddress();
        } catch (IllegalArgumentException e) {
            return address;
        }
    }
}
