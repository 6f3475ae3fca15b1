package dev.headgate.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AddressBlockTest {

    @ParameterizedTest
    @CsvSource({
        "10.0.0.1, 10.0.0.1",
        "2001:db8:1:2:3:4:5:6, 2001:db8:1:2:0:0:0:0",
        "2001:db8:1:3::1, 2001:db8:1:3:0:0:0:0",
        "::1, 0:0:0:0:0:0:0:0",
        "::ffff:10.0.0.1, 10.0.0.1",
        "a session, a session",
        "no:address, no:address",
        "'', ''"
    })
    void anAddressOfVersion6CountsWithItsNetwork(String address, String block) {
        assertThat(AddressBlock.of(address)).isEqualTo(block);
    }

    @ParameterizedTest
    @CsvSource({"10.0.0.1, 10.0.0.1", "2001:db8:1:2:3:4:5:6, 2001:db8:1:2::"})
    void soDoesOneThatIsNoText(String address, String block) {
        assertThat(AddressBlock.of(InetAddress.ofLiteral(address))).isEqualTo(InetAddress.ofLiteral(block));
    }
}
