// `import SwiftPlayKit` also imports the player.
@_exported import SwiftPlay
