package dev.wheelhouse.informer;
class WireFaultsTest {}
