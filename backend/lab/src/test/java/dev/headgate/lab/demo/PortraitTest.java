package dev.headgate.lab.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.IntStream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;

class PortraitTest {

    @Test
    void isAPngThatOtherProgramsRead() throws IOException {
        for (int number = 1; number <= 200; number++) {
            byte[] png = Portrait.png(number);
            assertThat(png).startsWith(0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n');
            BufferedImage picture = ImageIO.read(new ByteArrayInputStream(png));
            assertThat(picture.getWidth()).isEqualTo(Portrait.WIDTH);
            assertThat(picture.getHeight()).isEqualTo(Portrait.HEIGHT);
            assertThat(picture.getRGB(0, 0) >>> 24).as("opaque").isEqualTo(0xff);
            assertThat(colours(picture)).as("colours of %d", number).hasSizeGreaterThan(50);
        }
    }

    @Test
    void isTheSameForTheSameNumberOnly() {
        assertThat(Portrait.png(7)).isEqualTo(Portrait.png(7));
        assertThat(IntStream.rangeClosed(1, 200).mapToObj(n -> Arrays.hashCode(Portrait.png(n))))
                .doesNotHaveDuplicates();
    }

    @Test
    void isAboutSevenKilobytes() {
        int[] lengths = IntStream.rangeClosed(1, 200)
                .map(number -> Portrait.png(number).length)
                .toArray();
        assertThat(Arrays.stream(lengths).average().orElseThrow()).isBetween(6_500.0, 7_800.0);
        assertThat(Arrays.stream(lengths).min().orElseThrow()).isGreaterThan(4_000);
        assertThat(Arrays.stream(lengths).max().orElseThrow()).isLessThan(10_000);
    }

    private static Set<Integer> colours(BufferedImage picture) {
        Set<Integer> colours = new HashSet<>();
        for (int pixel : picture.getRGB(0, 0, Portrait.WIDTH, Portrait.HEIGHT, null, 0, Portrait.WIDTH)) {
            colours.add(pixel);
        }
        return colours;
    }
}
