package dev.headgate.server.limits;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BoundedProtocolTest {

    /** 8,000 slow ones took 334 of 512 MB, and a service that was asked for more besides ended. */
    @Test
    void connectionsTakeAQuarterOfTheHeap() {
        assertThat(BoundedProtocol.connectionsWithin(512 << 20)).isEqualTo(2_340);
        assertThat(BoundedProtocol.connectionsWithin(64 << 20)).isEqualTo(292);
        assertThat(BoundedProtocol.connectionsWithin(1)).isEqualTo(1);
    }

    /** 2,340 within their headers doubled the pauses of collections. */
    @Test
    void connectionsWithinTheirHeadersTakeASixtyFourthOfIt() {
        assertThat(BoundedProtocol.unfinishedWithin(512 << 20)).isEqualTo(146);
        assertThat(BoundedProtocol.unfinishedWithin(1)).isEqualTo(16);
    }
}
