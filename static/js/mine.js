// My games: kept up to date, and a key to the next turn.

import { attachKeys } from "./keys.js";
import { attachLive } from "./live.js";

attachKeys();
attachLive(() => document.getElementById("my-games"));
