from agent import DQNAgent
from replay import Replay
from world import Warehouse

EPISODES = 40
WARMUP = 200
BATCH = 32
SYNC_EVERY = 150


def epsilon(step, start=1.0, end=0.05, over=1200):
    return max(end, start + (end - start) * step / over)


def main():
    env = Warehouse(seed=1)
    agent = DQNAgent(env.n_obs, env.n_actions, seed=1)
    memory = Replay(5000, seed=1)
    steps, returns = 0, []
    for episode in range(EPISODES):
        obs, total, over = env.reset(), 0.0, False
        while not over:
            action = agent.act(obs, epsilon(steps))
            nxt, reward, done, timeout = env.step(action)
            memory.push(obs, action, reward, nxt, done)
            obs, total, over = nxt, total + reward, done or timeout
            steps += 1
            if len(memory) >= WARMUP and steps % 2 == 0:
                agent.learn(memory.sample(BATCH))
            if steps % SYNC_EVERY == 0:
                agent.sync()
        returns.append(total)
        print(f"episode {episode:3d} steps {steps:5d} eps {epsilon(steps):.2f} return {total:+.2f}")
    last = returns[-10:]
    print(f"mean return of the last {len(last)} episodes: {sum(last) / len(last):+.3f}")


if __name__ == "__main__":
    main()
