package dev.headgate.lab.demo;

import java.util.SplittableRandom;

/**
 * Paints a small portrait: a made-up sitter, half length, in the manner of a gallery of the 19th century. The same number
 * always gives the same picture. It is a PNG of about 7 KB, and takes less than a millisecond.
 *
 * <p>Everything is an ellipse or a triangle with a soft edge, painted from back to front: ground, hair behind, coat, neck,
 * linen, head, features, hair in front, hat, and last the light and the brush. Places of the face are given in the head's
 * own coordinates, so that it can be tilted, and its features shifted where the sitter looks.
 */
final class Portrait {

    static final int WIDTH = 84;
    static final int HEIGHT = 112;

    /** Pixels for each unit. The easel is 96 units wide and 128 high. */
    private static final double SCALE = WIDTH / 96.0;

    /** How much the strokes of the brush change the light. */
    private static final double STROKE = 0.03;

    /** Colours are rounded to multiples of this: the strokes hide it, and the file is half as long. */
    private static final int STEP = 8;

    private static final int[][] GROUNDS = {
        {0x6f7d5c, 0x2c3526}, {0x8a6f4e, 0x33261a}, {0x4f7c80, 0x1d3236}, {0x8d4f44, 0x351a18},
        {0x66708f, 0x232a40}, {0xa98f56, 0x443619}, {0x7a5f7c, 0x2d2133}, {0x5c8467, 0x20362a},
    };
    private static final int[] SKINS = {0xf3cfb0, 0xe9bb95, 0xd9a27a, 0xbf8460, 0x94603f, 0x6e452f, 0xf0c4a6, 0xe2ad88};
    private static final int[] HAIRS = {0x2a1c16, 0x4b2f1d, 0x76491f, 0xa8703a, 0xc99c5a, 0x8d3f1d, 0x9a9691, 0xd8d4cb};
    private static final int[] COATS = {
        0x1f2a44, 0x2b2b2f, 0x5a1f26, 0x24443a, 0x4a3524, 0x6b5a34, 0x3a3159, 0x7a3b22, 0x38586b, 0x8a7f72,
    };
    private static final int[] HINTS = {0xb23a3a, 0xd9a441, 0x3f7f8c, 0x7d5ba6, 0xe7e0d0, 0x2f5d3a};
    private static final int[] EYES = {0x3b2a1c, 0x54402a, 0x3f5b6b, 0x4d6244, 0x2a2522};

    private static final int LINEN = 0xf4efe3;
    private static final int INK = 0x1d1512;

    private final SplittableRandom random;
    /** Red, green and blue of each pixel, 0 to 255. */
    private final float[] canvas = new float[WIDTH * HEIGHT * 3];

    private final int skin;
    private final int shade;
    private final int hair;
    private final int coat;
    private final double headX;
    private final double headY;
    private final double headWidth;
    private final double headHeight;
    private final double tilt;
    /** How far the features are shifted to the side to which the sitter looks. */
    private final double turn;

    private Portrait(long number) {
        random = new SplittableRandom(number);
        skin = oneOf(SKINS);
        shade = mix(skin, 0x5a2a20, 0.42);
        hair = oneOf(HAIRS);
        coat = mix(oneOf(COATS), oneOf(COATS), between(0, 0.35));
        headX = 48 + between(-4, 4);
        headY = 57 + between(-3, 3);
        headWidth = between(14.5, 17.5);
        headHeight = between(19.5, 22.5);
        tilt = Math.toRadians(between(-9, 9));
        turn = between(-4.5, 4.5);
    }

    /** The picture of that number, as a PNG. */
    static byte[] png(int number) {
        Portrait portrait = new Portrait(number);
        portrait.paint();
        return Png.encode(WIDTH, HEIGHT, portrait.pixels());
    }

    private void paint() {
        ground();
        Hair style = Hair.values()[random.nextInt(Hair.values().length)];
        hairBehind(style);
        coatAndNeck();
        linen();
        head();
        features();
        beard(style);
        hairInFront(style);
        if (random.nextInt(6) == 0) {
            spectacles();
        }
        lightAndBrush();
    }

    private void ground() {
        int[] ground = GROUNDS[random.nextInt(GROUNDS.length)];
        double lightX = between(14, 60);
        double lightY = between(18, 58);
        for (int y = 0; y < HEIGHT; y++) {
            for (int x = 0; x < WIDTH; x++) {
                double far = length(x / SCALE - lightX, (y / SCALE - lightY) * 0.8) / 82;
                set(x, y, mix(ground[0], ground[1], Math.min(1, far)));
            }
        }
        switch (random.nextInt(5)) {
            case 0 -> landscape();
            case 1 -> curtain(mix(oneOf(HINTS), 0x200c0c, 0.55));
            default -> {}
        }
    }

    private void landscape() {
        int sky = mix(0xd9c9a0, 0x8fb0bf, random.nextDouble());
        ellipse(48, 34, 78, 62, 0, sky, 0.85, 30);
        ellipse(between(16, 80), between(14, 36), 26, 5, between(-8, 8), 0xf6ead0, 0.55, 4);
        int hill = mix(0x55703f, 0x4b5a63, random.nextDouble());
        ellipse(between(0, 96), 104, 62, 32, between(-10, 10), mix(hill, sky, 0.35), 1, 1.5);
        ellipse(between(0, 96), 116, 54, 34, between(-10, 10), hill, 1, 1.5);
        double tree = random.nextBoolean() ? between(5, 18) : between(78, 91);
        ellipse(tree, 78, 1.6, 16, 0, mix(hill, INK, 0.6), 1, 1);
        ellipse(tree, 62, 9, 12, 0, mix(hill, 0x1c2c18, 0.55), 1, 2.5);
        ellipse(tree - 2, 58, 5, 6, 0, mix(hill, 0xb9b35c, 0.3), 0.7, 3);
    }

    private void curtain(int cloth) {
        double side = random.nextBoolean() ? -2 : 98;
        double inward = side < 0 ? 1 : -1;
        ellipse(side, 40, 34, 88, -8 * inward, cloth, 1, 1.5);
        for (int fold = 0; fold < 4; fold++) {
            double x = side + inward * (4 + fold * 8);
            ellipse(x, 38, 2.6, 80, -8 * inward, mix(cloth, 0xf0d0a0, 0.28), 0.7, 2.5);
            ellipse(x + 4 * inward, 38, 2, 80, -8 * inward, mix(cloth, 0x000000, 0.5), 0.6, 2.5);
        }
    }

    private enum Hair {
        SHORT,
        PARTED,
        LONG,
        CURLS,
        WIG,
        BUN,
        BALD,
        TOP_HAT,
        BONNET,
        BERET
    }

    private void hairBehind(Hair style) {
        int dark = mix(hair, INK, 0.35);
        switch (style) {
            case LONG -> face(0, 9, headWidth * 1.42, headHeight * 1.5, 0, dark, 1);
            case CURLS -> {
                for (int i = 0; i < 16; i++) {
                    double around = Math.PI * (0.86 + i * 1.28 / 15);
                    face(
                            Math.cos(around) * headWidth * 1.15,
                            Math.sin(around) * headHeight * 0.95 + 1,
                            6.5,
                            6.5,
                            0,
                            mix(dark, hair, random.nextDouble()),
                            1);
                }
            }
            case WIG -> {
                face(0, -3, headWidth * 1.28, headHeight * 1.12, 0, 0xcfc9bd, 1);
                for (int curl = 0; curl < 3; curl++) {
                    for (int side = -1; side <= 1; side += 2) {
                        double v = 4 + curl * 7;
                        face(side * headWidth * 1.22, v, 5.4, 3.9, 0, 0x9d968a, 1);
                        face(side * headWidth * 1.2, v - 0.8, 4.4, 2.8, 0, 0xece7dc, 1);
                        face(side * headWidth * 1.2, v - 0.4, 1.6, 0.9, 0, 0x9d968a, 1);
                    }
                }
            }
            case BUN -> {
                face(3, -headHeight * 1.2, 8.5, 7, 0, dark, 1);
                face(1.5, -headHeight * 1.24, 4.5, 3, -20, mix(hair, 0xffe0b0, 0.25), 0.6);
                face(0, -4, headWidth * 1.16, headHeight * 0.98, 0, dark, 1);
            }
            case BONNET -> face(0, -3, headWidth * 1.5, headHeight * 1.28, 0, mix(LINEN, 0x9a8f86, 0.25), 1);
            default -> {}
        }
    }

    private void coatAndNeck() {
        double lean = headX + between(-5, 5);
        double broad = between(36, 44);
        ellipse(lean, 131, broad, 37, 0, mix(coat, INK, 0.25), 1, 1.2);
        ellipse(lean - 6, 130, broad - 7, 33, 0, coat, 1, 6);
        ellipse(lean - broad * 0.5, 108, 13, 5, -32, mix(coat, 0xffe6c0, 0.3), 0.55, 5);
        ellipse(lean + broad * 0.55, 120, 14, 16, 0, mix(coat, 0x000000, 0.55), 0.6, 8);
        ellipse(headX * 0.7 + lean * 0.3, 82, 8.2, 17, 0, shade, 1, 1);
        ellipse(headX * 0.7 + lean * 0.3 - 2, 86, 5.2, 12, 0, skin, 0.75, 3);
    }

    private void linen() {
        double x = headX;
        int dark = mix(coat, INK, 0.45);
        int hint = oneOf(HINTS);
        switch (random.nextInt(6)) {
            case 0 -> { // open collar and a cravat
                triangle(x - 12, 88, x + 12, 88, x, 124, LINEN);
                ellipse(x - 6, 89, 9, 3.4, 28, LINEN, 1, 1);
                ellipse(x + 6, 89, 9, 3.4, -28, mix(LINEN, 0x8a7a6a, 0.2), 1, 1);
                ellipse(x, 93, 4, 3.5, 0, hint, 1, 1);
                triangle(x - 3, 94, x + 3, 94, x + 1, 116, hint);
            }
            case 1 -> { // a bow
                triangle(x - 12, 88, x + 12, 88, x, 122, LINEN);
                triangle(x, 93, x - 11, 88, x - 10, 99, hint);
                triangle(x, 93, x + 11, 88, x + 10, 99, mix(hint, INK, 0.25));
                ellipse(x, 93, 2.6, 3, 0, mix(hint, INK, 0.35), 1, 1);
            }
            case 2 -> { // lace
                for (int fall = 0; fall < 5; fall++) {
                    double sway = fall % 2 == 0 ? -1.5 : 1.5;
                    ellipse(x + sway, 91 + fall * 5.5, 9 - fall, 4.2, sway * 5, mix(LINEN, 0x8d8478, 0.35), 1, 1);
                    ellipse(x + sway, 90 + fall * 5.5, 8.4 - fall, 3.2, sway * 5, LINEN, 1, 1.2);
                }
            }
            case 3 -> { // a wide neckline and a string of pearls
                ellipse(x, 98, 23, 14, 0, shade, 1, 1.4);
                ellipse(x - 3, 97, 19, 12, 0, skin, 0.85, 5);
                ellipse(x, 113, 24, 4, 0, hint, 0.95, 1.4);
                for (int pearl = -6; pearl <= 6; pearl++) {
                    double drop = 96 - pearl * pearl * 0.16;
                    ellipse(x + pearl * 2, drop, 1.3, 1.3, 0, LINEN, 1, 0.9);
                }
            }
            case 4 -> { // a ruff
                ellipse(x, 90, 23, 8.5, 0, mix(LINEN, 0x6f665c, 0.5), 1, 1);
                for (int fold = -8; fold <= 8; fold++) {
                    double y = 90 + 5.5 * Math.sqrt(Math.max(0, 1 - fold * fold / 66.0));
                    ellipse(x + fold * 2.7, y - 3, 1.5, 4.8, fold * -5, LINEN, 1, 1);
                }
                ellipse(x, 85, 12, 4, 0, mix(shade, INK, 0.3), 0.7, 2);
            }
            default -> { // a buttoned coat with a stand-up collar
                triangle(x - 7, 88, x + 7, 88, x, 102, LINEN);
                ellipse(x - 9, 92, 4.4, 10, 26, dark, 1, 1);
                ellipse(x + 9, 92, 4.4, 10, -26, dark, 1, 1);
                for (int button = 0; button < 3; button++) {
                    ellipse(x, 106 + button * 8, 1.7, 1.7, 0, 0xd9b45a, 1, 0.8);
                }
                return;
            }
        }
        if (random.nextBoolean()) { // lapels
            triangle(x - 11, 87, x - 1, 126, x - 25, 108, dark);
            triangle(x + 11, 87, x + 1, 126, x + 25, 108, mix(dark, 0x000000, 0.3));
        }
    }

    private void head() {
        for (int side = -1; side <= 1; side += 2) {
            face(side * headWidth * 0.99 - turn * 0.3, 3, 2.8, 5, 0, mix(shade, skin, 0.4), 1);
        }
        face(0, 0, headWidth, headHeight, 0, mix(skin, shade, 0.55), 1);
        face(-2.4, -1, headWidth - 2.4, headHeight - 1.6, 0, skin, 1, 5);
        face(turn * 0.6, headHeight * 0.55, headWidth * 0.62, headHeight * 0.42, 0, skin, 0.8, 4);
        face(-5 + turn * 0.4, -10, 7, 5.5, -20, mix(skin, 0xfff3dd, 0.55), 0.55, 5);
        int blush = mix(skin, 0xc2413a, 0.45);
        face(-8 + turn, 6.5, 4.6, 3.4, 0, blush, 0.6, 4);
        face(8 + turn, 6.5, 4.2, 3.4, 0, blush, 0.55, 4);
    }

    private void features() {
        int iris = oneOf(EYES);
        double apart = between(6, 7.2);
        double open = between(1.5, 2.3);
        double frown = between(-9, 10);
        double thick = between(0.7, 1.4);
        double look = turn * 0.16;
        int brow = mix(mix(hair, INK, 0.45), shade, 0.15);
        for (int side = -1; side <= 1; side += 2) {
            double u = turn + side * apart;
            face(u, -0.6, 4.1, 3.4, 0, shade, 0.42, 2.5);
            face(u, 0, 3.2, open, 0, 0xfaf4ea, 1);
            face(u + look, 0, 1.6, Math.min(1.75, open), 0, iris, 1);
            face(u + look, 0, 0.8, 0.8, 0, INK, 1);
            face(u + look - 0.6, -0.7, 0.5, 0.5, 0, 0xffffff, 0.95);
            face(u, -open + 0.1, 3.5, 0.65, 0, INK, 0.8);
            face(u, -5 - open * 0.3, 4.3, thick, side * frown, brow, 0.95);
        }
        double nose = between(1.6, 2.4);
        face(turn * 1.35 + 1.2, 4, nose * 0.62, 5.6, -4, shade, 0.55, 1.8);
        face(turn * 1.35 - 0.6, 3.4, 0.9, 5, 0, mix(skin, 0xfff3dd, 0.6), 0.6, 1.4);
        face(turn * 1.35, 8.4, nose + 1.1, 1.7, 0, shade, 0.7, 1.4);
        face(turn * 1.35 - 0.4, 7.8, nose, 1.6, 0, skin, 0.8, 1.2);
        int lips = mix(skin, 0x9c2f2f, between(0.45, 0.75));
        double wide = between(4, 5.8);
        double smile = between(-0.4, 1.4);
        face(turn * 1.15, 13.2 + smile * 0.3, wide, 1.9, 0, lips, 0.95);
        face(turn * 1.15, 13, wide, 0.55, 0, mix(lips, INK, 0.6), 0.9);
        for (int side = -1; side <= 1; side += 2) {
            face(turn * 1.15 + side * wide, 12.9 - smile, 1.3, 0.7, side * -35, mix(lips, INK, 0.5), 0.7);
        }
        face(turn * 1.1, 17, 3.4, 1, 0, shade, 0.4, 1.6);
    }

    private void beard(Hair style) {
        if (style == Hair.LONG || style == Hair.BUN || style == Hair.BONNET || style == Hair.WIG) {
            return;
        }
        int dark = mix(hair, INK, 0.25);
        switch (random.nextInt(5)) {
            case 0 -> { // a full beard
                face(turn * 0.5, 17.5, headWidth * 0.84, 11.5, 0, dark, 1, 1.6);
                face(turn * 0.5 - 3, 19, headWidth * 0.5, 8, 0, mix(dark, hair, 0.8), 0.7, 4);
                moustache(dark);
                face(turn * 1.15, 13.8, 3.2, 1.1, 0, mix(skin, 0x9c2f2f, 0.6), 1);
            }
            case 1 -> moustache(dark);
            case 2 -> { // whiskers
                face(-headWidth * 0.86, 9, 3.4, 9, -8, dark, 0.95, 1.6);
                face(headWidth * 0.86, 9, 3.4, 9, 8, dark, 0.95, 1.6);
            }
            default -> {}
        }
    }

    private void moustache(int dark) {
        face(turn * 1.2 - 3.2, 11, 4.4, 1.7, 18, dark, 1, 1.2);
        face(turn * 1.2 + 3.2, 11, 4.4, 1.7, -18, dark, 1, 1.2);
    }

    private void hairInFront(Hair style) {
        int gloss = mix(hair, 0xffe6bf, 0.38);
        switch (style) {
            case SHORT -> cap(hair, gloss, -headHeight * 0.86, 0.42);
            case PARTED -> {
                face(-7, -headHeight * 0.8, 11, 7, -28, hair, 1, 1.2);
                face(8, -headHeight * 0.74, 10.5, 7.5, 34, mix(hair, INK, 0.2), 1, 1.2);
                face(-headWidth * 0.94, -6, 3, 9, 4, hair, 1, 1.2);
                face(headWidth * 0.94, -6, 3, 9, -4, mix(hair, INK, 0.3), 1, 1.2);
                face(-9, -headHeight * 0.92, 6, 1.6, -30, gloss, 0.6, 2);
            }
            case LONG -> {
                face(-8, -headHeight * 0.78, 11.5, 8, -34, hair, 1, 1.2);
                face(8, -headHeight * 0.78, 11.5, 8, 34, mix(hair, INK, 0.15), 1, 1.2);
                face(-headWidth * 1.08, 8, 4.4, 21, 5, hair, 1, 1.4);
                face(headWidth * 1.08, 8, 4.4, 21, -5, mix(hair, INK, 0.25), 1, 1.4);
                face(-headWidth * 1.14, 4, 1.2, 14, 5, gloss, 0.5, 1.6);
            }
            case CURLS -> {
                for (int i = 0; i < 9; i++) {
                    double u = (i - 4) * headWidth * 0.25;
                    double v = -headHeight * 0.86 + u * u * 0.035;
                    face(u, v, 5, 4.6, 0, mix(hair, INK, random.nextDouble() * 0.4), 1, 1.2);
                    face(u - 1.2, v - 1.4, 2, 1.2, 0, gloss, 0.5, 1.4);
                }
            }
            case WIG -> {
                cap(0xe4dfd4, 0xffffff, -headHeight * 0.9, 0.5);
                face(headWidth * 0.6, -headHeight * 0.8, 7, 4, 30, 0xb9b2a6, 0.6, 3);
            }
            case BUN -> {
                face(-7.5, -headHeight * 0.8, 11, 6.4, -30, hair, 1, 1.2);
                face(7.5, -headHeight * 0.8, 11, 6.4, 30, mix(hair, INK, 0.15), 1, 1.2);
                face(-8.5, -headHeight * 0.92, 6, 1.5, -30, gloss, 0.6, 2);
            }
            case BALD -> {
                face(-headWidth * 0.96, -2, 3.8, 8, 6, hair, 1, 1.6);
                face(headWidth * 0.96, -2, 3.8, 8, -6, mix(hair, INK, 0.25), 1, 1.6);
                face(-4, -headHeight * 0.72, 5, 2.6, -24, 0xfff6e6, 0.5, 3);
            }
            case TOP_HAT -> {
                int felt = mix(coat, 0x141416, 0.7);
                face(-headWidth * 0.95, -4, 3, 8, 4, hair, 1, 1.2);
                face(headWidth * 0.95, -4, 3, 8, -4, hair, 1, 1.2);
                face(0, -headHeight * 1.36, headWidth * 0.92, 17, 0, felt, 1, 1);
                face(-6, -headHeight * 1.36, 2.4, 13, 2, mix(felt, 0xc8d0da, 0.4), 0.6, 3);
                face(0, -headHeight * 0.82, headWidth * 0.98, 4, 0, oneOf(HINTS), 1, 1);
                face(0, -headHeight * 0.68, headWidth * 1.42, 3.6, 0, mix(felt, INK, 0.3), 1, 1);
            }
            case BONNET -> {
                cap(hair, gloss, -headHeight * 0.84, 0.34);
                int ribbon = oneOf(HINTS);
                face(0, -headHeight * 1.02, headWidth * 1.2, 5.4, 0, LINEN, 1, 1.2);
                face(0, -headHeight * 1.14, headWidth * 1.1, 1.8, 0, ribbon, 1, 1);
                face(-headWidth * 1.1, 4, 1.7, 15, -6, ribbon, 1, 1);
                face(headWidth * 1.1, 4, 1.7, 15, 6, mix(ribbon, INK, 0.2), 1, 1);
            }
            case BERET -> {
                int felt = mix(oneOf(HINTS), coat, 0.4);
                face(-headWidth * 0.96, -3, 3.2, 9, 4, hair, 1, 1.2);
                face(headWidth * 0.96, -3, 3.2, 9, -4, hair, 1, 1.2);
                face(4, -headHeight * 0.95, headWidth * 1.32, 9.5, 8, mix(felt, INK, 0.3), 1, 1.2);
                face(1, -headHeight * 1.02, headWidth * 1.05, 6.5, 8, felt, 1, 4);
                face(0, -headHeight * 0.66, headWidth * 0.98, 2.4, 3, mix(felt, INK, 0.45), 1, 1);
            }
        }
    }

    /** Hair over the forehead: an arch from temple to temple. */
    private void cap(int colour, int gloss, double v, double deep) {
        face(0, v, headWidth * 0.98, headHeight * deep, 0, colour, 1, 1.2);
        face(-headWidth * 0.93, v + 11, 3.2, 9, 6, colour, 1, 1.2);
        face(headWidth * 0.93, v + 11, 3.2, 9, -6, mix(colour, INK, 0.25), 1, 1.2);
        face(-5, v - headHeight * deep * 0.35, 8, 2, -14, gloss, 0.55, 2.5);
    }

    private void spectacles() {
        for (int side = -1; side <= 1; side += 2) {
            for (int i = 0; i < 22; i++) {
                double around = i * Math.PI / 11;
                face(turn + side * 6.6 + 4.6 * Math.cos(around), 4.2 * Math.sin(around), 0.65, 0.65, 0, 0xc7a24c, 0.9);
            }
            face(turn + side * 6.6 - 1.5, -1.5, 1.6, 0.6, -40, 0xffffff, 0.55);
        }
        face(turn, -0.8, 2, 0.6, 0, 0xc7a24c, 0.9);
    }

    /** A warm varnish, dark corners, and strokes of the brush. */
    private void lightAndBrush() {
        double slant = between(-0.7, 0.7);
        boolean oval = random.nextInt(4) == 0;
        long grain = random.nextLong();
        for (int y = 0; y < HEIGHT; y++) {
            for (int x = 0; x < WIDTH; x++) {
                double u = 2.0 * x / (WIDTH - 1) - 1;
                double v = 2.0 * y / (HEIGHT - 1) - 1;
                double corner = u * u + v * v;
                double stroke = noise(grain, (int) (x + y * slant) >> 2, y >> 1) * STROKE;
                double light = 1 - 0.2 * corner * corner + stroke;
                int at = 3 * (y * WIDTH + x);
                canvas[at] *= (float) light;
                canvas[at + 1] *= (float) (light * 0.985);
                canvas[at + 2] *= (float) (light * 0.94);
                if (oval && corner > 0.86) {
                    double rim = Math.min(1, (corner - 0.86) * 20);
                    int mat = corner < 0.93 ? 0xc9a557 : mix(0x3a2c20, 0x2a1f17, (y + x) % 7 / 7.0);
                    over(at, mat, rim);
                }
            }
        }
    }

    /** -1 to 1. */
    private static double noise(long seed, int x, int y) {
        long mixed = (seed ^ x * 0x9E3779B97F4A7C15L) * 0xBF58476D1CE4E5B9L ^ y * 0x94D049BB133111EBL;
        mixed = (mixed ^ mixed >>> 29) * 0xBF58476D1CE4E5B9L;
        return (mixed >> 11) * 0x1p-52;
    }

    private byte[] pixels() {
        byte[] rgb = new byte[canvas.length];
        for (int i = 0; i < rgb.length; i++) {
            rgb[i] = (byte) (Math.round(Math.clamp(canvas[i], 0, 255 - STEP) / STEP) * STEP);
        }
        return rgb;
    }

    private void face(double u, double v, double rx, double ry, double degrees, int colour, double opacity) {
        face(u, v, rx, ry, degrees, colour, opacity, 0.9);
    }

    /** An ellipse in the head's coordinates: (0, 0) is the bridge of the nose, u to the right, v down. */
    private void face(
            double u, double v, double rx, double ry, double degrees, int colour, double opacity, double edge) {
        double x = headX + u * Math.cos(tilt) - v * Math.sin(tilt);
        double y = headY + u * Math.sin(tilt) + v * Math.cos(tilt);
        ellipse(x, y, rx, ry, degrees + Math.toDegrees(tilt), colour, opacity, edge);
    }

    /** @param edge the width in which the colour fades out */
    private void ellipse(
            double centreX,
            double centreY,
            double radiusX,
            double radiusY,
            double degrees,
            int colour,
            double opacity,
            double edge) {
        double cx = centreX * SCALE;
        double cy = centreY * SCALE;
        double rx = radiusX * SCALE;
        double ry = radiusY * SCALE;
        double cos = Math.cos(Math.toRadians(degrees));
        double sin = Math.sin(Math.toRadians(degrees));
        double reachX = Math.hypot(rx * cos, ry * sin) + edge;
        double reachY = Math.hypot(rx * sin, ry * cos) + edge;
        double scale = Math.min(rx, ry) / edge;
        int bottom = (int) Math.min(HEIGHT - 1, Math.ceil(cy + reachY));
        int right = (int) Math.min(WIDTH - 1, Math.ceil(cx + reachX));
        for (int y = (int) Math.max(0, cy - reachY); y <= bottom; y++) {
            for (int x = (int) Math.max(0, cx - reachX); x <= right; x++) {
                double u = ((x - cx) * cos + (y - cy) * sin) / rx;
                double v = ((y - cy) * cos - (x - cx) * sin) / ry;
                double inside = (1 - length(u, v)) * scale + 0.5;
                if (inside > 0) {
                    over(3 * (y * WIDTH + x), colour, Math.min(1, inside) * opacity);
                }
            }
        }
    }

    private void triangle(double ax, double ay, double bx, double by, double cx, double cy, int colour) {
        double turned = Math.signum(beside(cx, cy, ax, ay, bx, by));
        int bottom = (int) Math.min(HEIGHT - 1, Math.max(ay, Math.max(by, cy)) * SCALE + 1);
        int right = (int) Math.min(WIDTH - 1, Math.max(ax, Math.max(bx, cx)) * SCALE + 1);
        for (int y = (int) Math.max(0, Math.min(ay, Math.min(by, cy)) * SCALE - 1); y <= bottom; y++) {
            for (int x = (int) Math.max(0, Math.min(ax, Math.min(bx, cx)) * SCALE - 1); x <= right; x++) {
                double px = x / SCALE;
                double py = y / SCALE;
                double inside = turned * beside(px, py, ax, ay, bx, by);
                inside = Math.min(inside, turned * beside(px, py, bx, by, cx, cy));
                inside = Math.min(inside, turned * beside(px, py, cx, cy, ax, ay));
                if (inside > -0.5) {
                    over(3 * (y * WIDTH + x), colour, Math.min(1, inside + 0.5));
                }
            }
        }
    }

    /** How far a point lies from the line through a and b, with a sign for its side. */
    private static double beside(double x, double y, double ax, double ay, double bx, double by) {
        return ((bx - ax) * (y - ay) - (by - ay) * (x - ax)) / length(bx - ax, by - ay);
    }

    /** As Math.hypot, faster: nothing here overflows. */
    private static double length(double x, double y) {
        return Math.sqrt(x * x + y * y);
    }

    private void over(int at, int colour, double opacity) {
        float share = (float) opacity;
        canvas[at] += ((colour >> 16) - canvas[at]) * share;
        canvas[at + 1] += ((colour >> 8 & 0xff) - canvas[at + 1]) * share;
        canvas[at + 2] += ((colour & 0xff) - canvas[at + 2]) * share;
    }

    private void set(int x, int y, int colour) {
        over(3 * (y * WIDTH + x), colour, 1);
    }

    private static int mix(int from, int to, double share) {
        int mixed = 0;
        for (int shift = 16; shift >= 0; shift -= 8) {
            int a = from >> shift & 0xff;
            int b = to >> shift & 0xff;
            mixed |= (int) (a + (b - a) * share) << shift;
        }
        return mixed;
    }

    private int oneOf(int[] colours) {
        return colours[random.nextInt(colours.length)];
    }

    private double between(double least, double most) {
        return random.nextDouble(least, most);
    }
}
