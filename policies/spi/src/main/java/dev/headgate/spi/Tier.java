package dev.headgate.spi;

/** A domain's standing on a shared database, most restrictive first; {@link #NONE} where no policy gave one. */
public enum Tier {
    BRONZE,
    SILVER,
    GOLD,
    NONE
}
