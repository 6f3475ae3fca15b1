package dev.headgate.lab.script;

import dev.headgate.lab.Load;
import dev.headgate.lab.Mix;
import dev.headgate.lab.Pace;

/** A load that a user brings. */
public record ScriptedLoad(String name, String domain, String description, Pace pace, Mix mix) implements Load {}
