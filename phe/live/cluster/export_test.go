package cluster

const HasHeader = hasHeader

var IsSound = isSound
